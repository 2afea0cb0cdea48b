import type { VNode } from 'preact';
import { Link } from '../../html/components.js';

/** Above the heading of what lies in a project. @param fullPath of the project */
export function ProjectHeading({
  fullPath,
  name,
}: {
  readonly fullPath: string;
  /** Of the object, as texts refer to it. */
  readonly name: string;
}): VNode {
  return (
    <p class="path">
      <Link to={`/${fullPath}`}>{fullPath}</Link> / {name}
    </p>
  );
}
