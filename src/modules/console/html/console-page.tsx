import type { ComponentChildren, VNode } from 'preact';
import { Link, type WebPage } from '../../web/index.js';
import { noticeText } from './notices.js';

const SECTIONS = [
  ['/admin', 'Overview'],
  ['/admin/jobs', 'Jobs'],
  ['/admin/deliveries', 'Deliveries'],
  ['/admin/processes', 'Processes'],
  ['/admin/storages', 'Storages'],
  ['/admin/audit', 'Audit log'],
] as const;

/** The paths of the sections. */
export type ConsoleSection = (typeof SECTIONS)[number][0];

interface ConsolePage {
  readonly title: string;
  readonly section: ConsoleSection;
  /** What a form has led to: a name of `NOTICES`. */
  readonly notice?: string | undefined;
  readonly children: ComponentChildren;
}

/** A page of the console: its sections, what a form has led to, and the content. */
export const consolePage = (page: ConsolePage): WebPage => ({
  title: `${page.title} · Console`,
  content: <ConsoleFrame {...page} />,
});

function ConsoleFrame({ title, section, notice, children }: ConsolePage): VNode {
  const text = noticeText(notice);
  return (
    <div class="console">
      <nav class="sections" aria-label="Console">
        <ul>
          {SECTIONS.map(([path, name]) => (
            <li key={path}>
              <Link to={path} current={path === section}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <h1>{title}</h1>
      {text !== undefined && (
        <p class={`notice ${text.isGood ? 'good' : 'warn'}`} role="status">
          {text.text}
        </p>
      )}
      {children}
    </div>
  );
}
