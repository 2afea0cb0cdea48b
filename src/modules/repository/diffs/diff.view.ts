/** What a commit, or a comparison, changes in one file (docs/reference/commits.md#the-diff-entry). */
export class DiffView {
  /** The patch from `---` on; empty where only names or modes differ, and above 100 KiB. */
  diff!: string;
  new_path!: string;
  old_path!: string;
  /** Six octal digits, `"0"` for a side that does not exist. */
  a_mode!: string;
  b_mode!: string;
  new_file!: boolean;
  renamed_file!: boolean;
  deleted_file!: boolean;
}
