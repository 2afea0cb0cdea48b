/** A file that was changed, and where (open points 3.11). */
export class ChangedFileView {
  file_path!: string;
  branch_name!: string;
}
