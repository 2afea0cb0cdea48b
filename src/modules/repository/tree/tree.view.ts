/** An entry of a folder (docs/reference/files.md#get-projectsidrepositorytree). */
export class TreeEntryView {
  id!: string;
  name!: string;
  /** `tree`, `blob`, or `commit` for a submodule. */
  type!: 'tree' | 'blob' | 'commit';
  path!: string;
  /** Six octal digits. */
  mode!: string;
}
