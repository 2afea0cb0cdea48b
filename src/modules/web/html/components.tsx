import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { V3, V4 } from '../../../faces/index.js';

/** What components need to know of the page that they are part of. */
interface Surroundings {
  /** `EXTERNAL_URL`, without a slash at the end. */
  readonly address: string;
  /** What it has behind its host, to be put before every path; without a slash at the end. */
  readonly base: string;
  readonly csrfToken: () => string;
}

export const Surroundings = createContext<Surroundings>({
  address: '',
  base: '',
  csrfToken: () => '',
});

/** The field that shows that a form comes from a page of this service. */
export const CSRF_FIELD = 'csrf_token';

interface LinkProps {
  /** A path of this service. */
  readonly to: string;
  readonly class?: string;
  /** For the link to the page itself. */
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

export function Link({ to, class: name, current = false, children }: LinkProps): VNode {
  const { base } = useContext(Surroundings);
  return (
    <a href={base + to} class={name} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
}

interface FormProps {
  /** A path of this service. */
  readonly action: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A form that selects what a page shows. */
export function GetForm({ action, class: name, children }: FormProps): VNode {
  const { base } = useContext(Surroundings);
  return (
    <form method="get" action={base + action} class={name}>
      {children}
    </form>
  );
}

/** A form that changes something, with the token that every such request needs. */
export function PostForm({ action, class: name, children }: FormProps): VNode {
  const { base, csrfToken } = useContext(Surroundings);
  return (
    <form method="post" action={base + action} class={name}>
      <input type="hidden" name={CSRF_FIELD} value={csrfToken()} />
      {children}
    </form>
  );
}

/** A region that scrolls by itself if its content is wider than the page, also by keyboard. */
export function Scrollable({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div class="scroll" role="region" aria-label={label} tabindex={0}>
      {children}
    </div>
  );
}

const FACES = { v3: V3, v4: V4 } as const;

interface ApiCallProps {
  /** Below the prefix of the API. */
  readonly path: string;
  /** Which version of the API does it. Default: version 3. */
  readonly version?: 'v3' | 'v4';
  /** Of a form to be posted. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** As a word of a POSIX shell, which people paste: names of branches may contain anything. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command that shows how the API does the same. */
export function ApiCall({ path, version = 'v3', fields = {} }: ApiCallProps): VNode {
  const { address } = useContext(Surroundings);
  const options = Object.entries(fields).map(
    ([name, value]) => ` \\\n  --data-urlencode ${quoted(`${name}=${value}`)}`,
  );
  const url = `"${address}${FACES[version].prefix}${path}"`;
  return (
    <section aria-labelledby="api-call">
      <h2 id="api-call">The same by the API</h2>
      <pre class="command" tabindex={0}>
        <code>{`curl -H "PRIVATE-TOKEN: $TOKEN" ${url}${options.join('')}`}</code>
      </pre>
    </section>
  );
}

/** A moment, in UTC. */
export function Time({ at }: { readonly at: Date | string }): VNode {
  const iso = new Date(at).toISOString();
  return <time dateTime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}</time>;
}
