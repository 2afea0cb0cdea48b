import type { Namespace } from '../namespaces/namespace.entity.js';

/** A namespace for projects. */
export class NamespaceView {
  id!: number;
  path!: string;
  /** `user` or `group`. */
  kind!: string;
  name!: string;
}

export function presentNamespace({ id, path, ownerId, name }: Namespace): NamespaceView {
  return { id, path, kind: ownerId === null ? 'group' : 'user', name };
}
