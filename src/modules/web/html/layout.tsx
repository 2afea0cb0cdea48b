import type { ComponentChildren, VNode } from 'preact';
import { Link, PostForm, Surroundings } from './components.js';
import type { PageContext } from './page-context.js';
import { STYLESHEET_PATH } from './stylesheet.js';

interface LayoutProps {
  readonly title: string;
  readonly address: string;
  readonly base: string;
  /** Undefined where it is not known who reads the page. */
  readonly context: PageContext | undefined;
  /** Where to return to after signing in: a path of this service. */
  readonly path: string;
  readonly children: ComponentChildren;
}

/** The frame of every page. */
export function Layout({ title, address, base, context, path, children }: LayoutProps): VNode {
  const csrfToken = context?.csrfToken ?? (() => '');
  return (
    <Surroundings.Provider value={{ address, base, csrfToken }}>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{title === 'Trellis' ? title : `${title} · Trellis`}</title>
          <link rel="icon" href="data:," />
          <link rel="stylesheet" href={base + STYLESHEET_PATH} />
        </head>
        <body>
          <a class="skip" href="#content">
            Skip to the content
          </a>
          <header class="top">
            <nav aria-label="Main">
              <Link to="/" class="brand">
                Trellis
              </Link>
              <div class="account">
                <Link to="/help">Help</Link>
                {context !== undefined && <Account context={context} path={path} />}
              </div>
            </nav>
          </header>
          <main id="content" tabindex={-1}>
            {children}
          </main>
        </body>
      </html>
    </Surroundings.Provider>
  );
}

function Account({
  context: { viewer },
  path,
}: {
  readonly context: PageContext;
  readonly path: string;
}): VNode {
  if (viewer === null) {
    return <Link to={`/-/sign_in?return_to=${encodeURIComponent(path)}`}>Sign in</Link>;
  }
  return (
    <>
      {viewer.admin && <Link to="/admin">Console</Link>}
      <Link to={`/${viewer.username}`}>{viewer.name}</Link>
      <PostForm action="/-/sign_out">
        <button type="submit" class="plain">
          Sign out
        </button>
      </PostForm>
    </>
  );
}
