/** A place for projects (open points 3.7). */
export class NamespaceView {
  id!: number;
  path!: string;
  /** `user` or `group`. */
  kind!: string;
  name!: string;
}
