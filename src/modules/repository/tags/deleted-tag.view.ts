/** A tag that was deleted (docs/reference/tags.md#delete-projectsidrepositorytagstag_name). */
export class DeletedTagView {
  tag_name!: string;
}
