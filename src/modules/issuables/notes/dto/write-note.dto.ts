import { StringParam, TimestampParam } from '../../../../platform/http/index.js';

/** `PUT …/notes/:note_id` (open points 3.2). */
export class UpdateNoteDto {
  @StringParam({ required: true })
  body!: string;
}

/** `POST …/notes` (open points 3.2). */
export class CreateNoteDto extends UpdateNoteDto {
  @TimestampParam({ description: 'For administrators and project owners; others are not heeded.' })
  created_at?: Date;
}
