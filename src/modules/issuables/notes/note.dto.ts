import { StringParam, TimestampParam } from '../../../platform/http/index.js';

/** `PUT …/notes/:note_id`. */
export class UpdateNoteDto {
  @StringParam({ required: true })
  body!: string;
}

/** `POST …/notes`. */
export class CreateNoteDto extends UpdateNoteDto {
  @TimestampParam({ description: 'For administrators and project owners; others are not heeded.' })
  created_at?: Date;
}
