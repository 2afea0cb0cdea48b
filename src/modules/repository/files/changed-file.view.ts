/** A file that was changed, and where (docs/reference/files.md#writing-a-file). */
export class ChangedFileView {
  file_path!: string;
  branch_name!: string;
}
