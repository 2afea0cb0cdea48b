import type { Express } from 'express';

interface RoutedLayer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): unknown;
}

/**
 * The verbs under which a path is routed, for the `Allow` header; empty for an unknown path. Looked up
 * only for requests that found no handler.
 */
export function allowedVerbs(express: Express, url: string): string[] {
  const path = url.split('?')[0] ?? '/';
  const verbs = new Set<string>();
  for (const layer of express.router.stack as unknown as RoutedLayer[]) {
    if (layer.route === undefined || !matches(layer, path)) continue;
    for (const verb of Object.keys(layer.route.methods)) {
      verbs.add(verb.toUpperCase());
    }
  }
  if (verbs.has('GET')) verbs.add('HEAD');
  return [...verbs].sort();
}

function matches(layer: RoutedLayer, path: string): boolean {
  try {
    return Boolean(layer.match(path));
  } catch {
    return false;
  }
}
