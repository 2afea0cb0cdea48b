/** A tag that was deleted (open points 3.9). */
export class DeletedTagView {
  tag_name!: string;
}
