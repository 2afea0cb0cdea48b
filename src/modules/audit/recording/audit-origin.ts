import type { Request } from 'express';
import { isIP, isIPv4 } from 'node:net';
import { CallContext } from '../../../platform/async/index.js';
import { clientAddress } from '../../../platform/http/index.js';
import { contextOf } from '../../authorization/index.js';

/** The columns of an account that the audit log keeps. */
export interface AuditUser {
  readonly id: number;
  readonly username: string;
}

/** Who acts, and from where. */
export interface AuditOrigin {
  /** Null for a request without an account. */
  readonly author: AuditUser | null;
  /** The administrator who acts as the author by `sudo`. */
  readonly administrator: AuditUser | null;
  /** The client's address. */
  readonly ip: string;
  readonly requestId: string | null;
}

/** Set for the handlers of routes with `Audits`, so that services need not hand it on. */
export const auditOrigin = new CallContext<AuditOrigin>();

/** @throws Error (a fault) when the request has not passed the guards */
export function originOf(request: Request): AuditOrigin {
  const { caller, administrator } = contextOf(request);
  const requestId = request.res?.getHeader('X-Request-Id');
  return {
    author: caller,
    administrator,
    ip: clientAddress(request),
    requestId: typeof requestId === 'string' ? requestId : null,
  };
}

const MAPPED = /^::ffff:(?=[\d.]+$)/i;

/** An address as PostgreSQL's type `inet` takes it, one spelling for each; null for what is none. */
export function toInet(address: string): string | null {
  const [bare = ''] = address.split('%');
  const mapped = bare.replace(MAPPED, '');
  if (isIPv4(mapped)) return mapped;
  return isIP(bare) > 0 ? bare : null;
}
