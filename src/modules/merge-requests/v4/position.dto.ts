import { asStored } from '../../../platform/database/index.js';
import {
  EnumParam,
  IntegerParam,
  NumberParam,
  ObjectParam,
  StringParam,
} from '../../../platform/http/index.js';
import type { ImagePlace, PositionRange, RangeEnd } from '../../issuables/index.js';
import { V4CreateNoteDto } from '../../issuables/v4/index.js';
import { V4LinePositionDto } from '../../repository/v4/index.js';
import type { PositionInput } from '../versions/position-check.js';

const LONGEST_LINE_CODE = 255;
const LONGEST_TYPE = 16;

/** `position[line_range][start]`, or `[end]`. */
class V4RangeEndDto {
  @StringParam({ maxLength: LONGEST_LINE_CODE, blank: 'absent' })
  line_code?: string;

  @StringParam({ maxLength: LONGEST_TYPE, blank: 'absent' })
  type?: string;

  @IntegerParam({ nullable: true, emptyClears: true })
  old_line?: number | null;

  @IntegerParam({ nullable: true, emptyClears: true })
  new_line?: number | null;
}

/** `position[line_range]`. */
class V4PositionRangeDto {
  @ObjectParam(V4RangeEndDto)
  start?: V4RangeEndDto;

  @ObjectParam(V4RangeEndDto)
  end?: V4RangeEndDto;
}

const TYPES = ['text', 'image', 'file'] as const;

/** `position` (docs/reference/v4-discussions.md#positions). */
export class V4PositionDto extends V4LinePositionDto {
  @EnumParam(TYPES, { required: true })
  position_type!: (typeof TYPES)[number];

  @ObjectParam(V4PositionRangeDto)
  line_range?: V4PositionRangeDto;

  @NumberParam()
  width?: number;

  @NumberParam()
  height?: number;

  @NumberParam()
  x?: number;

  @NumberParam()
  y?: number;
}

/** `POST …/merge_requests/:merge_request_iid/discussions`. */
export class V4CreateMergeRequestDiscussionDto extends V4CreateNoteDto {
  @ObjectParam(V4PositionDto, {
    description: 'Where in the difference of a version the thread is.',
  })
  position?: V4PositionDto;
}

export function toPositionInput(position: V4PositionDto): PositionInput {
  const isText = position.position_type === 'text';
  return {
    baseSha: position.base_sha,
    startSha: position.start_sha,
    headSha: position.head_sha,
    oldPath: position.old_path,
    newPath: position.new_path,
    type: position.position_type,
    oldLine: isText ? (position.old_line ?? null) : null,
    newLine: isText ? (position.new_line ?? null) : null,
    lineRange: isText ? toLineRange(position.line_range) : null,
    image: position.position_type === 'image' ? toImagePlace(position) : null,
  };
}

/** Ranges without one of their ends are left out. */
function toLineRange({ start, end }: V4PositionRangeDto = {}): PositionRange | null {
  return start === undefined || end === undefined
    ? null
    : { start: toRangeEnd(start), end: toRangeEnd(end) };
}

const toRangeEnd = (end: V4RangeEndDto): RangeEnd => ({
  lineCode: stored(end.line_code),
  type: stored(end.type),
  oldLine: end.old_line ?? null,
  newLine: end.new_line ?? null,
});

/** Columns of JSON take no text that is not well-formed. */
const stored = (text: string | undefined): string | null =>
  text === undefined ? null : asStored(text);

/** Without its four numbers it is about the whole picture. */
function toImagePlace({ width, height, x, y }: V4PositionDto): ImagePlace | null {
  const isWhole = width === undefined || height === undefined || x === undefined || y === undefined;
  return isWhole ? null : { width, height, x, y };
}
