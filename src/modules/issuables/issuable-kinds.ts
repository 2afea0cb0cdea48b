import { Injectable } from '@nestjs/common';
import type { IssuableKind, IssuableType } from './issuable.js';

/** The kinds there are: this room knows nothing of the tables of those above. */
@Injectable()
export class IssuableKinds {
  private readonly kinds = new Map<IssuableType, IssuableKind>();

  register(kind: IssuableKind): void {
    this.kinds.set(kind.type, kind);
  }

  get all(): readonly IssuableKind[] {
    return [...this.kinds.values()];
  }

  /** @throws Error (a programming mistake) for a kind that nobody has registered */
  of(type: IssuableType): IssuableKind {
    const kind = this.kinds.get(type);
    if (kind === undefined) throw new Error(`Nobody has registered ${type}`);
    return kind;
  }
}
