import type { DescribedLabel } from '../../planning/labels.service.js';

/** A label of a project. */
export class V4LabelView {
  id!: number;
  name!: string;
  description!: string | null;
  /** The description as HTML: the same text, escaped. */
  description_html!: string | null;
  /** Black or white, whichever is easier to read on the label. */
  text_color!: string;
  /** `#` and 6 or 3 hexadecimal digits. */
  color!: string;
  /** Whether the caller is subscribed. */
  subscribed!: boolean;
  priority!: number | null;
  /** Always true: groups have no labels. */
  is_project_label!: boolean;
}

/** A label with the numbers of issues and merge requests that have it and that the caller may read. */
export class V4CountedLabelView extends V4LabelView {
  open_issues_count!: number;
  closed_issues_count!: number;
  open_merge_requests_count!: number;
}

export const presentV4Label = ({ label, subscribed }: DescribedLabel): V4LabelView => ({
  id: label.id,
  name: label.name,
  description: label.description,
  description_html: escaped(label.description),
  text_color: textColor(label.color),
  color: label.color,
  subscribed,
  priority: label.priority,
  is_project_label: true,
});

export const presentCountedLabel = (described: DescribedLabel): V4CountedLabelView => ({
  ...presentV4Label(described),
  open_issues_count: described.issues.open,
  closed_issues_count: described.issues.closed,
  open_merge_requests_count: described.mergeRequests.open,
});

/** Clients draw the text of labels in it, as GitLab: dark on bright colours. */
export function textColor(color: string): string {
  const digits = color.slice(1);
  const size = digits.length / 3;
  const parts = [0, 1, 2].map((at) => digits.slice(at * size, (at + 1) * size));
  const sum = parts
    .map((part) => parseInt(size === 1 ? part + part : part, 16))
    .reduce((total, part) => total + part, 0);
  return sum > BRIGHT ? '#1F1E24' : '#FFFFFF';
}

/** The sum of the three parts of the darkest bright colour. */
const BRIGHT = 500;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escaped = (text: string | null): string | null =>
  text && text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
