import {
  EnumParam,
  GivenWith,
  IntegerParam,
  StringParam,
} from '../../../../platform/http/index.js';
import { LINE_TYPES, type LineType } from './commit-comment.entity.js';

/** `POST /projects/:id/repository/commits/:sha/comments`. */
@GivenWith('path', 'line')
export class CreateCommitCommentDto {
  @StringParam({ required: true })
  note!: string;

  @StringParam({ blank: 'absent', description: 'A file, as it is called after the commit.' })
  path?: string;

  @IntegerParam({ description: 'A line of it that the commit changes; needed with `path`.' })
  line?: number;

  @EnumParam(LINE_TYPES, {
    default: 'new',
    description: 'Whether the line is one of the file after the commit or before it.',
  })
  line_type: LineType = 'new';
}
