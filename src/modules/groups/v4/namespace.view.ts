import type { Urls } from '../../../platform/config/index.js';
import type { Namespace } from '../namespaces/namespace.entity.js';

/** A namespace for projects. */
export class V4NamespaceView {
  id!: number;
  name!: string;
  path!: string;
  /** `user` or `group`. */
  kind!: string;
  full_path!: string;
  /** Always null: groups have no subgroups. */
  parent_id!: number | null;
  avatar_url!: string | null;
  web_url!: string;
}

/** Whether a path is taken. */
export class V4NamespaceExistenceView {
  exists!: boolean;
  /** Paths that are free, where it is taken. */
  suggests!: string[];
}

export function presentV4Namespace(namespace: Namespace, urls: Urls): V4NamespaceView {
  const { id, name, path, ownerId } = namespace;
  return {
    id,
    name,
    path,
    kind: ownerId === null ? 'group' : 'user',
    full_path: path,
    parent_id: null,
    avatar_url: null,
    web_url: ownerId === null ? urls.web('groups', path) : urls.web(path),
  };
}
