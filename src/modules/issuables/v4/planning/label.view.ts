import type { DescribedLabel } from '../../planning/labels.service.js';

/** A label, as its group has it. */
export class V4GroupLabelView {
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
}

/** A label of a project or its group, as the project has it. */
export class V4LabelView extends V4GroupLabelView {
  /** In this project. */
  priority!: number | null;
  /** False for a label of the group. */
  is_project_label!: boolean;
}

/** A label with the numbers of issues and merge requests that have it and that the caller may read. */
export class V4CountedLabelView extends V4LabelView {
  open_issues_count!: number;
  closed_issues_count!: number;
  open_merge_requests_count!: number;
}

/** The same of a group's label, in all of its projects. */
export class V4CountedGroupLabelView extends V4GroupLabelView {
  open_issues_count!: number;
  closed_issues_count!: number;
  open_merge_requests_count!: number;
}

export const presentGroupLabel = ({ label, subscribed }: DescribedLabel): V4GroupLabelView => ({
  id: label.id,
  name: label.name,
  description: label.description,
  description_html: escaped(label.description),
  text_color: textColor(label.color),
  color: label.color,
  subscribed,
});

export const presentV4Label = (described: DescribedLabel): V4LabelView => ({
  ...presentGroupLabel(described),
  priority: described.priority,
  is_project_label: described.label.projectId !== null,
});

const countsOf = ({ issues, mergeRequests }: DescribedLabel) => ({
  open_issues_count: issues.open,
  closed_issues_count: issues.closed,
  open_merge_requests_count: mergeRequests.open,
});

export const presentCountedLabel = (described: DescribedLabel): V4CountedLabelView => ({
  ...presentV4Label(described),
  ...countsOf(described),
});

export const presentCountedGroupLabel = (described: DescribedLabel): V4CountedGroupLabelView => ({
  ...presentGroupLabel(described),
  ...countsOf(described),
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
