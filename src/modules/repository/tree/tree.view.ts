/** An entry of a folder (open points 3.10). */
export class TreeEntryView {
  id!: string;
  name!: string;
  /** `tree`, `blob`, or `commit` for a submodule. */
  type!: 'tree' | 'blob' | 'commit';
  path!: string;
  /** Six octal digits. */
  mode!: string;
}
