/** A text as HTML. */
export class V4MarkdownView {
  html!: string;
}
