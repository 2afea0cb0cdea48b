import type { VNode } from 'preact';

const TONES: Readonly<Record<string, string>> = {
  opened: 'good',
  reopened: 'good',
  active: 'good',
  success: 'good',
  can_be_merged: 'good',
  closed: 'bad',
  blocked: 'bad',
  failed: 'bad',
  canceled: 'bad',
  cannot_be_merged: 'bad',
  confidential: 'warn',
  archived: 'warn',
  pending: 'warn',
  running: 'warn',
};

/** The state of something, as the API names it. */
export function State({ name }: { readonly name: string }): VNode {
  return <span class={`badge ${TONES[name] ?? ''}`}>{name.replaceAll('_', ' ')}</span>;
}
