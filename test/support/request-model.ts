import { numbers, type Numbers, pickFrom } from '../unit/git/support/odd-history.js';
import type { Checkout } from './checkout.js';
import type { MadeProject, Person } from './factories.js';
import { FollowedRequests } from './followed-requests.js';
import { pathOf } from './merge-requests.js';
import { PushedRefs } from './pushed-refs.js';
import type { Trellis } from './trellis.js';

const HEADS = 'refs/heads/';
const SOURCES = ['one', 'two', 'three'];
const TARGETS = ['master', 'stable'];

export interface ModelPlace {
  project: MadeProject;
  work: Checkout;
  head: string;
}

/** Does at random what people do to branches and merge requests, and says what must always be true. */
export class RequestModel {
  private readonly requests: FollowedRequests;
  private readonly refs: PushedRefs;
  private readonly random: Numbers;
  private readonly opened: number[] = [];
  private readonly merged = new Set<number>();
  /** What had been recorded of requests when they were found closed or merged; without those reopened since. */
  private readonly ended = new Map<number, unknown>();

  constructor(
    private readonly trellis: Trellis,
    private readonly owner: Person,
    private readonly place: ModelPlace,
    seed: number,
  ) {
    this.requests = new FollowedRequests(trellis, owner);
    this.refs = new PushedRefs(trellis, place.project);
    this.random = numbers(seed);
  }

  async begin(): Promise<void> {
    const { head } = this.place;
    await this.pushRefs(...[...SOURCES, 'stable'].map((name) => `${head}:${HEADS}${name}`));
  }

  async step(): Promise<void> {
    const steps = [
      () => this.open(),
      () => this.push(),
      () => this.push(),
      () => this.rewrite(),
      () => this.remove(),
      () => this.mergeByHand(),
      () => this.update({ state_event: pickFrom(['close', 'reopen'], this.random) }),
      () => this.update({ target_branch: pickFrom(TARGETS, this.random) }),
      () => this.accept(),
    ];
    const { work } = this.place;
    await work.git('fetch', '--quiet', '--prune', work.remote, '+refs/heads/*:refs/remotes/all/*');
    await pickFrom(steps, this.random)();
    await this.expectArrived();
  }

  /** What has just been merged is in its target branch, and was noted once. */
  private async expectArrived(): Promise<void> {
    const rows = await this.trellis.rows<{ id: number; head: string; target: string }>(
      `SELECT id, head_sha AS head, target_branch AS target FROM merge_requests
        WHERE project_id = $1 AND state = 'merged' AND id <> ALL($2::int[])`,
      [this.place.project.id, [...this.merged]],
    );
    for (const { id, head, target } of rows) {
      this.merged.add(id);
      await this.refs.git('merge-base', '--is-ancestor', head, HEADS + target);
      const notes = await this.requests.notes(id);
      expect(notes.filter((note) => note === 'merged')).toHaveLength(1);
    }
  }

  /** What must be true at any time. */
  async expectSound(): Promise<void> {
    for (const id of this.opened) {
      const row = await this.requests.row(id);
      const versions = await this.requests.versions(id);
      expect(row.head_sha).toBe(versions.at(-1)?.head ?? null);
      for (const { start, head } of versions) {
        await this.refs.git('rev-list', '--objects', '--quiet', start, head);
      }
      expect(row.state === 'merged').toBe(this.merged.has(id));
      if (row.state === 'merged') await this.expectMerged(row, versions.at(-1)?.head ?? '');
      await this.expectUnchangedAfterEnd(id, row.state, versions);
    }
    await this.refs.expectSound();
  }

  /** The commit that is told has merged the head; there is none of one that was merged by hand. */
  private async expectMerged(row: { merge_commit_sha: string | null }, head: string) {
    if (row.merge_commit_sha === null) return;
    const parents = await this.refs.git('rev-parse', `${row.merge_commit_sha}^@`);
    expect(parents.split('\n')[1]).toBe(head);
  }

  private async expectUnchangedAfterEnd(id: number, state: string, versions: unknown) {
    if (state === 'opened' || state === 'reopened') {
      this.ended.delete(id);
      return;
    }
    const known = this.ended.get(id) ?? versions;
    expect(versions).toEqual(known);
    this.ended.set(id, known);
  }

  private async open(): Promise<void> {
    const [source, target] = [pickFrom(SOURCES, this.random), pickFrom(TARGETS, this.random)];
    const { body, status } = await this.trellis
      .as(this.owner)
      .post(`/projects/${String(this.place.project.id)}/merge_requests`, {
        title: 'A request',
        source_branch: source,
        target_branch: target,
      });
    expect([200, 400, 409]).toContain(status);
    if (status === 200) this.opened.push((body as { id: number }).id);
  }

  private async push(): Promise<void> {
    const branch = pickFrom([...SOURCES, ...TARGETS], this.random);
    const from = (await this.tip(branch)) ?? this.place.head;
    const file = `file-${String(this.random(4))}`;
    const { work } = this.place;
    await work.git('checkout', '--quiet', '--detach', from);
    await this.pushRefs(`${await work.commit(`Change ${file}`, file)}:${HEADS}${branch}`);
  }

  private async pushRefs(...refspecs: string[]): Promise<void> {
    const { code, stderr } = await this.place.work.push('--force', ...refspecs);
    if (code !== 0) throw new Error(stderr);
  }

  private async rewrite(): Promise<void> {
    const branch = pickFrom([...SOURCES, ...TARGETS], this.random);
    const other = pickFrom([...SOURCES, ...TARGETS], this.random);
    const oid = (await this.tip(other)) ?? this.place.head;
    await this.pushRefs(`${oid}:${HEADS}${branch}`);
  }

  private async remove(): Promise<void> {
    const branch = pickFrom([...SOURCES, 'stable'], this.random);
    if ((await this.tip(branch)) !== null) await this.pushRefs(`:${HEADS}${branch}`);
  }

  /** Passed over where the branches conflict. */
  private async mergeByHand(): Promise<void> {
    const [source, target] = [pickFrom(SOURCES, this.random), pickFrom(TARGETS, this.random)];
    const [theirs, ours] = [await this.tip(source), await this.tip(target)];
    const { work } = this.place;
    if (theirs === null || ours === null) return;
    await work.git('checkout', '--quiet', '--force', '--detach', ours);
    const { code } = await work.try('merge', '--quiet', '--no-ff', '--no-edit', theirs);
    if (code !== 0) await work.git('merge', '--abort');
    else await this.pushRefs(`HEAD:${HEADS}${target}`);
  }

  private async update(body: object): Promise<void> {
    const id = this.anyOpened();
    if (id === null) return;
    const { status, body: shown } = await this.trellis.as(this.owner).put(this.path(id), body);
    expect([200, 400, 409, 422]).toContain(status);
    // It may have ended once more when it is looked at.
    if ((shown as { state?: string }).state === 'reopened') this.ended.delete(id);
  }

  private async accept(): Promise<void> {
    const id = this.anyOpened();
    if (id === null) return;
    const { status } = await this.trellis.as(this.owner).put(`${this.path(id)}/merge`);
    expect([200, 405, 406]).toContain(status);
  }

  private anyOpened(): number | null {
    return this.opened.length === 0 ? null : pickFrom(this.opened, this.random);
  }

  private path(id: number): string {
    return pathOf({ id, project_id: this.place.project.id });
  }

  private tip(branch: string): Promise<string | null> {
    return this.refs.target(HEADS + branch);
  }
}
