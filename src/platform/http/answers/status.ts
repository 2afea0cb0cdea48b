import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/**
 * `spec`: a success is 200; `gitlab`: a successful POST is 201
 * (docs/reference/conventions.md#status-profiles).
 */
export type StatusProfile = 'spec' | 'gitlab';

export const FIXED_STATUS = Symbol('status of success, whatever the profile');
export const EMPTY_WHEN_ABSENT = Symbol('nothing to answer is an empty body');

/** Marks an operation in the generated interface document; taken out again while it is finished. */
export const FIXED_STATUS_EXTENSION = 'x-fixed-status';

/** The handler's success has this status in both profiles (SSH keys and e-mails 201, shares 204). */
export const FixedStatus = (status: 200 | 201 | 204): MethodDecorator =>
  applyDecorators(
    SetMetadata(FIXED_STATUS, status),
    HttpCode(status),
    ApiExtension(FIXED_STATUS_EXTENSION, status),
  );

/** Where the handler returns null or nothing, the answer is 200 with `Content-Length: 0`. */
export const EmptyWhenAbsent = (): MethodDecorator => SetMetadata(EMPTY_WHEN_ABSENT, true);
