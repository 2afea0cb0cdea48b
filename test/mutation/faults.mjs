// Faults that `npm test` or `.ci/run` has to find. `find` occurs once in src, wherever it stands; `suites` are those that
// find it: fragments of their paths. `test/contract/harness.spec.ts` names the faults that only `.ci/run` finds.

/**
 * @typedef {object} Fault
 * @property {string} rule what is broken
 * @property {string} find the code, on one line
 * @property {string} [file] how the file's name ends, for code that occurs in several
 * @property {string} replace the code with the fault
 * @property {string[]} suites
 */

/** @type {Fault[]} */
export const FAULTS = [
  // Revisions
  {
    rule: 'A tag takes precedence over a branch of its name',
    find: 'return [...whole, TAG_PREFIX + name, BRANCH_PREFIX + name];',
    replace: 'return [...whole, BRANCH_PREFIX + name, TAG_PREFIX + name];',
    suites: ['unit/git/revisions', 'repository/revisions'],
  },
  {
    rule: 'The suffixes of a revision lead over a limited number of commits',
    find: 'if (steps.length + added > MAX_STEPS) return null;',
    replace: 'if (added > 1_000_000) return null;',
    suites: ['unit/git/revisions'],
  },
  // Permissions
  {
    rule: 'Version 4 refuses unknown tokens, where strangers may call, too',
    find: 'faceOf(request)?.refusesUnknownTokens === true',
    replace: 'faceOf(request)?.refusesUnknownTokens === undefined',
    suites: ['faces/unknown-tokens'],
  },
  {
    rule: 'A cached answer of one version of the API is not sent by another',
    find: '`${name} ${JSON.stringify(key)}`',
    replace: 'JSON.stringify([name.length, key])',
    suites: ['unit/modules/answer-cache'],
  },
  {
    rule: 'What a client has of one version of the API does not count for another',
    find: '`${this.build} ${face.name} ${profile}`',
    replace: '`${this.build} ${profile}`',
    suites: ['unit/http/faces'],
  },
  {
    rule: 'A push does not undo what the file system has yet to show',
    find: 'if (doubtful.length > 0) return',
    replace: 'if (doubtful.length < 0) return',
    suites: ['git/late-storage'],
  },
  {
    rule: 'What was read of a repository does not outlive a push by another process',
    find: '? this.advanceTo(known)',
    replace: '? Promise.resolve()',
    suites: ['git/known-refs'],
  },
  {
    rule: 'Guests do not read confidential issues',
    find: "'issue:read-confidential': inProject(Level.REPORTER)",
    replace: "'issue:read-confidential': inProject(Level.GUEST)",
    suites: ['issues/issue-feeds-confidential', 'issues/issues-read'],
  },
  {
    rule: 'Forks are no more visible than a source that is lowered',
    find: 'const lowered = await this.forks.lowerVisibility(ids, visibility);',
    replace: 'const lowered = await this.forks.lowerVisibility([], visibility);',
    suites: ['projects/fork-visibility'],
  },
  {
    rule: 'A fork that is created while its source is lowered gets the new visibility',
    find: 'if (visibility !== draft.visibility) {',
    replace: 'if (visibility !== visibility) {',
    suites: ['projects/fork-visibility'],
  },
  {
    rule: 'Hooks belong to masters',
    find: "'project-hook:administer': inProject(Level.MASTER)",
    replace: "'project-hook:administer': inProject(Level.DEVELOPER)",
    suites: ['hooks/project-hooks'],
  },
  {
    rule: 'Developers do not push to protected branches',
    find: "'branch:push-protected': inProject(Level.MASTER)",
    replace: "'branch:push-protected': inProject(Level.DEVELOPER)",
    suites: ['git/push-rights'],
  },
  {
    rule: 'Owners alone delete issues',
    find: "'issue:delete': inProject(Level.OWNER)",
    replace: "'issue:delete': inProject(Level.MASTER)",
    suites: ['issues/issues-delete'],
  },
  {
    rule: 'Administrators alone manage users',
    find: "'user:administer': { scope: 'admin' }",
    replace: "'user:administer': { scope: 'user' }",
    suites: ['users/users-create'],
  },
  {
    rule: "Administrators alone have the operators' console",
    find: 'if (isRestricted && viewer?.admin !== true) throw routeNotFound();',
    replace: '',
    suites: ['web/console.spec'],
  },
  {
    rule: 'The second of two clicks does not repeat a delivery again',
    find: '`UPDATE hook_deliveries SET ${REQUEUED} WHERE id = $1 AND turn = $2',
    replace: '`UPDATE hook_deliveries SET ${REQUEUED} WHERE id = $1 AND $2::int IS NOT NULL',
    suites: ['web/console-actions'],
  },
  {
    rule: 'Administrators alone act as others',
    find: 'if (!caller.admin) throw sudoNotPermitted();',
    replace: '',
    suites: ['users/current-user'],
  },
  {
    rule: 'Nobody acts as a blocked account',
    find: "if (account.state !== 'active') throw forbidden();",
    replace: '',
    suites: ['users/current-user'],
  },
  {
    rule: 'A blocked account has no valid token',
    find: "return user?.state === 'active' ? user : null;",
    file: 'authentication.service.ts',
    replace: 'return user;',
    suites: ['users/user-blocking'],
  },
  {
    rule: 'A group exists only for those who see it',
    find: "if (access === null || !canSeeGroup(access)) throw notFound('group');",
    file: 'ability.guard.ts',
    replace: "if (access === null) throw notFound('group');",
    suites: ['groups/group-detail'],
  },
  {
    rule: 'A project exists only for those who see it',
    find: "if (access === null || !canSee(access)) throw notFound('project');",
    file: 'ability.guard.ts',
    replace: "if (access === null) throw notFound('project');",
    suites: ['projects/read-project'],
  },
  {
    rule: 'A call without a credential is refused',
    find: 'if (caller === null && !isOpen(permission)) throw unauthenticated();',
    replace: '',
    suites: ['users/current-user'],
  },
  {
    rule: 'A membership ends on the day it expires',
    find: "`(${expiresAt} IS NULL OR ${expiresAt} > (now() AT TIME ZONE 'UTC')::date)`",
    replace: "`(${expiresAt} IS NULL OR ${expiresAt} >= (now() AT TIME ZONE 'UTC')::date)`",
    suites: ['groups/membership-expiry'],
  },
  {
    rule: 'External users see public projects only',
    find: 'if (subject === null || subject.external) return [VISIBILITY_LEVEL.public];',
    replace: 'if (subject === null) return [VISIBILITY_LEVEL.public];',
    suites: ['projects/effective-access', 'projects/projects-lists'],
  },
  {
    rule: 'Confidential issues are read by participants and reporters',
    find: "!issue.confidential || allows(access, 'issue:read-confidential') || takesPart(issue, reader)",
    replace: 'true',
    suites: ['unit/modules/readable-issuables', 'issues/issues-read'],
  },
  {
    rule: 'The same in lists',
    find: "AND (NOT ${target}.confidential OR ${allowsInSql('issue:read-confidential', access)}",
    replace: "AND (true OR ${allowsInSql('issue:read-confidential', access)}",
    suites: ['unit/modules/readable-issuables'],
  },
  {
    rule: 'Guests of private projects read their own merge requests only',
    find: "if (allows(access, 'merge-request:read-any')) return true;",
    replace: "if (allows(access, 'merge-request:read')) return true;",
    suites: ['unit/modules/readable-issuables'],
  },
  {
    rule: 'Developers push to a protected branch that lets them',
    find: "return isProtected && !developersCanPush ? 'branch:push-protected' : 'code:push';",
    replace: "return isProtected && developersCanPush ? 'branch:push-protected' : 'code:push';",
    suites: ['unit/modules/protection-policy'],
  },
  {
    rule: 'Nobody merges into an archived project',
    find: "if (access.project.archived || !allows(access, 'code:push')) return false;",
    replace: '',
    suites: ['merging/merge-accept'],
  },
  {
    rule: 'A link to an issue is hidden from those who may not read it',
    find: 'const isReadable = access && canSee(access) && mayRead(issue, access, reader);',
    replace: 'const isReadable = access !== undefined;',
    suites: ['v4/issue-links'],
  },
  {
    rule: 'A draft note of another user is hidden',
    find: 'findOneBy({ id, mergeRequestId, authorId })',
    replace: 'findOneBy({ id, mergeRequestId })',
    suites: ['v4/draft-notes'],
  },
  {
    rule: 'Quick actions in quotes are text',
    find: '.filter((block) => !block.isHtml && !block.isCell && !block.isQuoted)',
    replace: '.filter((block) => !block.isHtml && !block.isCell)',
    suites: ['references/quick-actions'],
  },
  {
    rule: 'Quick actions have the rights of their author',
    find: 'const sentence = this.about.mayEdit ? this.edit(action) : undefined;',
    replace: 'const sentence = this.edit(action);',
    suites: ['quick-actions/issue-actions'],
  },
  {
    rule: 'Two links at once do not exceed what an issue may have',
    find: 'await this.issues.lock(ids);',
    replace: '',
    suites: ['v4/issue-links'],
  },
  {
    rule: 'A group keeps an owner',
    find: 'if (await this.members.isLastOwner(id, userId)) throw forbidden();',
    replace: '',
    suites: ['groups/last-group-owner'],
  },
  {
    rule: 'Only owners of a group remove others from it',
    find: "if (caller.id !== userId && !allowsOnGroup(access, 'group-member:edit')) throw forbidden();",
    replace: '',
    suites: ['groups/group-members'],
  },
  {
    rule: 'Archived projects take no pushes',
    find: "if (access.project.archived || !allows(access, ability)) return 'no-push-access';",
    replace: "if (!allows(access, ability)) return 'no-push-access';",
    suites: ['git/push-rights', 'projects/project-archive'],
  },
  {
    rule: 'Protected branches are not deleted by pushes',
    find: "if (update.newOid === ZERO_OID) return 'protected-deleted';",
    replace: '',
    suites: ['git/git-push', 'repository/branch-protection'],
  },
  {
    rule: 'Protected branches are not pushed to by force',
    find: "if (update.oldOid !== ZERO_OID && (await isForced?.(update))) return 'protected-forced';",
    replace: '',
    suites: ['git/git-push', 'repository/branch-protection'],
  },
  {
    rule: 'The default branch is not removed',
    find: "if (await isHead(repository, project, name)) throw branchRefused('is-default');",
    replace: '',
    suites: ['repository/branch-writes'],
  },

  // Pages and limits
  {
    rule: 'The last page has no next page',
    find: 'const hasNext = total === null ? rows.length > perPage : end < total;',
    replace: 'const hasNext = total === null ? rows.length > perPage : end <= total;',
    suites: ['unit/http/pages'],
  },
  {
    rule: 'A page begins where the last one ended',
    find: 'return { offset: (page - firstPage) * perPage, limit: perPage + 1 };',
    replace: 'return { offset: (page - firstPage) * (perPage + 1), limit: perPage + 1 };',
    suites: ['unit/http/pages'],
  },
  {
    rule: 'A long list has no total',
    find: 'const total = counted > COUNTED_ITEMS ? null : counted;',
    replace: 'const total = counted;',
    suites: ['unit/http/pages'],
  },
  {
    rule: 'A limit of rows admits no more than the limit',
    find: 'return (row?.count ?? 0) < limit;',
    replace: 'return (row?.count ?? 0) <= limit;',
    suites: ['hooks/project-hooks', 'repository/branch-protection'],
  },
  {
    rule: 'A limit of rows holds for concurrent callers',
    find: "await database.rows('SELECT pg_advisory_xact_lock(hashtext($1), $2)', [table, ownerId]);",
    replace: '',
    suites: ['hooks/project-hooks', 'repository/branch-protection'],
  },
  {
    rule: 'A page has at most 100 items',
    find: 'Math.min(size, MAX_PER_PAGE)',
    replace: 'size',
    suites: ['unit/http/pages', 'unit/http/validate-parameters'],
  },
  {
    rule: 'Texts that move do not name a project that is less visible',
    find: 'return !isMoreVisible(home.visibility, project.visibility);',
    replace: 'return true;',
    suites: ['issues/issues-move-references'],
  },
  {
    rule: 'Nested values of a client are not instantiated',
    find: 'this.#values = isRecord(raw) ? raw : {};',
    replace: 'this.#values = isRecord(raw) ? raw : {}; Object.assign(this, raw);',
    suites: ['unit/http/validate-parameters'],
  },
  {
    rule: 'Ids in paths are numbers',
    find: "source === 'path' && type === Number",
    replace: "source === 'path' && type === String",
    suites: ['unit/http/paths'],
  },
  {
    rule: 'References of a text are limited',
    find: 'const some = references.slice(0, Math.min(left, REFERENCES_PER_TEXT));',
    replace: 'const some = references.slice(0, left);',
    suites: ['planning/mentions'],
  },
  {
    rule: 'Bodies of anonymous callers are small',
    find: 'export const ANONYMOUS_BODY: BodyLimit = { bytes: 64 * KIB, values: 1_000 };',
    replace: 'export const ANONYMOUS_BODY: BodyLimit = { bytes: MIB, values: 10_000 };',
    suites: ['hostile/request-budgets'],
  },
  {
    rule: 'Large forms of unknown callers name a valid token',
    find: 'if (!isKnown && bytes.length > ANONYMOUS_BODY.bytes) await this.checkToken(bytes);',
    replace: '',
    suites: ['unit/http/hostile-parameters'],
  },

  {
    rule: 'A page whose headers differ is no 304',
    find: "const basis = [...Object.values(headers), text].join('\\n');",
    replace: 'const basis = text;',
    suites: ['unit/http/answers'],
  },
  {
    rule: 'A commit whose status differs is no 304',
    find: "key: ['commit', oid, status],",
    replace: "key: ['commit', oid],",
    suites: ['repository/conditional-requests'],
  },
  // Secrets
  {
    rule: 'No cache stores an answer with a token',
    find: "if (plan.containsSecret) response.setHeader('Cache-Control', 'no-store');",
    replace: '',
    suites: ['repository/conditional-requests'],
  },
  {
    rule: 'The token of a hook is encrypted',
    find: 'return { tokenSealed: token === null ? null : secrets.seal(token) };',
    replace: 'return { tokenSealed: token };',
    suites: ['hooks/hook-secrets'],
  },
  {
    rule: 'The password of a hook is encrypted',
    find: 'return { url: maskPassword(url), passwordSealed: secrets.seal(JSON.stringify(sealed)) };',
    replace: 'return { url, passwordSealed: null };',
    suites: ['hooks/hook-secrets'],
  },
  {
    rule: 'A password goes to the receiver it is for',
    find: "password = isSameReceiver ? stored.password : '';",
    replace: "password = stored?.password ?? '';",
    suites: ['hooks/hook-secrets', 'unit/modules/hooks'],
  },
  {
    rule: 'A token does not follow a hook to another server',
    find: '...tokenValue(token, secrets, isSameServer),',
    replace: '...tokenValue(token, secrets, true),',
    suites: ['hooks/hook-secrets'],
  },
  {
    rule: 'A secret is compared',
    find: 'return expected.length === actual.length && timingSafeEqual(expected, actual);',
    replace: 'return expected.length === actual.length;',
    suites: ['unit/platform/secrets'],
  },
  {
    rule: 'The log of deliveries shows no secret',
    find: 'return { delivery, at, requestHeaders: withoutSecrets(request), result };',
    replace: 'return { delivery, at, requestHeaders: request.headers, result };',
    suites: ['hooks/hook-requests'],
  },
  {
    rule: 'Hooks do not reach the metadata service',
    find: "return parsed.range() === 'unicast' && !METADATA.has(address);",
    replace: "return parsed.range() === 'unicast';",
    suites: ['unit/platform/outbound-hosts'],
  },
  {
    rule: 'Hooks do not reach private IPv6 addresses',
    find: 'if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return false;',
    replace: '',
    suites: ['unit/platform/outbound-hosts'],
  },

  // The outbox and its jobs
  {
    rule: 'Delayed jobs wait',
    find: 'WHERE enqueued_at IS NULL AND failed_at IS NULL AND fairness_key IS NULL AND run_at <= now()',
    replace: 'WHERE enqueued_at IS NULL AND failed_at IS NULL AND fairness_key IS NULL',
    suites: ['unit/queue/outbox', 'unit/queue/delivery'],
  },
  {
    rule: 'Every row of the outbox reaches its queue',
    find: 'await this.#enqueue(queue, jobs);',
    replace: 'await this.#enqueue(queue, jobs.slice(0, 1));',
    suites: ['unit/queue/outbox', 'unit/queue/delivery'],
  },
  {
    rule: 'A job that has succeeded does not run again',
    find: "await this.database.runAtCommit(confirmJobs('$1'), [[...ids].sort()]);",
    replace: 'await Promise.resolve([...ids].sort());',
    suites: ['unit/queue/delivery', 'unit/queue/outbox'],
  },
  {
    rule: 'A job that was given back counts no failure of its earlier round',
    find: 'WHERE id = $1 AND round = $2 AND failed_at IS NULL`,',
    replace: 'WHERE id = $1 AND $2::int IS NOT NULL AND failed_at IS NULL`,',
    suites: ['unit/queue/faults'],
  },
  {
    rule: 'Jobs that the queue has lost are handed over again',
    find: "} else if (state !== 'unknown' && state !== 'completed') {",
    replace: "} else if (state !== 'completed') {",
    suites: ['unit/queue/faults'],
  },
  {
    rule: 'Jobs that have ended are not handed over again while that is not recorded yet',
    find: "return this.late.hasEndOf(row) ? 'present' : 'lost';",
    replace: "return 'lost';",
    suites: ['unit/queue/faults'],
  },
  {
    rule: 'Jobs that a replica lacks are handed over again once it is the master',
    find: 'return mark === MARKED && markedRun === run;',
    replace: 'return mark === MARKED && typeof markedRun === typeof run;',
    suites: ['unit/queue/faults'],
  },
  {
    rule: 'A deadlock is retried',
    find: 'return state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED;',
    replace: 'return state === SERIALIZATION_FAILURE;',
    suites: ['unit/platform/unit-of-work'],
  },

  // Deliveries of hooks
  {
    rule: 'Disabled hooks send nothing',
    find: 'if (delivery.isDisabled) {',
    replace: 'if (delivery.isDisabled && delivery.id === undefined) {',
    suites: ['hooks/hook-retries', 'hooks/hook-redelivery'],
  },
  {
    rule: 'Receivers that are gone get nothing more',
    find: "if (result.failure.cause === 'gone') {",
    replace: "if (result.failure.cause === 'payload') {",
    suites: ['hooks/hook-retries'],
  },
  {
    rule: 'Hooks that fail for days are disabled',
    find: "if (isHopeless) return { state: 'failed', delayMs: null, disables: 'failing' };",
    replace: '',
    suites: ['hooks/hook-retries'],
  },
  {
    rule: 'Attempts follow the schedule',
    find: 'const delayMs = retryDelayMs(schedule, delivery.attempts + 1, result);',
    replace: 'const delayMs = retryDelayMs(schedule, delivery.attempts, result);',
    suites: ['hooks/hook-retries'],
  },
  {
    rule: 'Pending deliveries outlive the retention',
    find: "WHERE created_at < now() - $1 * interval '1 day' AND state <> 'pending'",
    replace: "WHERE created_at < now() - $1 * interval '1 day'",
    suites: ['hooks/hook-retention'],
  },

  // Merging
  {
    rule: 'A request is merged at the commit that the caller has seen',
    find: 'fails: ({ sha, mergeRequest }) => sha !== undefined && sha !== mergeRequest.headSha,',
    replace: 'fails: () => false,',
    suites: ['merging/merge-accept'],
  },
  {
    rule: 'Work in progress is not merged',
    find: 'fails: ({ mergeRequest }) => isWorkInProgress(mergeRequest.title),',
    replace: 'fails: () => false,',
    suites: ['merging/merge-accept'],
  },
  {
    rule: 'A project may require builds that succeed',
    find: 'return state !== null && !hasSucceeded(state);',
    replace: 'return false;',
    suites: ['merging/merge-accept', 'merging/merge-when-build-succeeds'],
  },
  {
    rule: 'Skipped builds count as succeeded',
    find: "state === 'success' || state === 'skipped';",
    replace: "state === 'success';",
    suites: ['modules/merge-requests/accept-checks'],
  },
  {
    rule: 'A merge that a kill interrupted is finished by its job',
    find: 'await this.outbox.add(finishMerge.with({ mergeRequestId: id }, { delayMs }));',
    replace: '',
    suites: ['merging/merge-recovery'],
  },
  {
    rule: 'A merge commit waits for nobody who may not merge any more',
    find: 'if (await this.protectedBranches.mayMerge(merger.access, targetBranch)) return merger;',
    replace: 'return merger;',
    suites: ['merging/merge-when-build-succeeds', 'merging/merge-once-build-succeeds'],
  },

  // Issues and pushes
  {
    rule: 'An issue is edited by those who may',
    find: 'if (!mayEdit(before, access, caller)) throw forbidden();',
    file: 'issues.service.ts',
    replace: '',
    suites: ['issues/issues-update'],
  },
  {
    rule: 'Concurrent changes of an issue follow one another',
    find: 'lockIn: `${findIn} FOR NO KEY UPDATE OF i`,',
    replace: 'lockIn: findIn,',
    suites: ['campaigns/issues-races'],
  },
  {
    rule: 'Guests set no labels',
    find: "...(allows(access, 'issue:triage') ? triage : {}),",
    file: 'issues.service.ts',
    replace: '...triage,',
    suites: ['issues/issues-create'],
  },
  {
    rule: 'A closed issue is not closed again',
    find: "if (before === null || before.state === 'closed') return false;",
    replace: 'if (before === null) return false;',
    suites: ['issues/closing'],
  },
  {
    rule: 'Feeds show no events on issues that a reader may not read',
    find: "return allows(access, 'issue:read-confidential') ? null : isReadable('');",
    replace: 'return null;',
    suites: ['issues/issue-feeds-confidential'],
  },
  {
    rule: 'A change of a text that the pusher did not see is refused',
    find: "throw failure.code === 'stale-ref' ? conflict() : failure;",
    replace: 'throw failure;',
    suites: ['campaigns/commit-races'],
  },
  {
    rule: 'Housekeeping keeps a pack that is pushed again meanwhile',
    find: 'if (objects !== null) await removeKeepFiles(objects);',
    replace: '',
    suites: ['unit/git/housekeeping'],
  },
  {
    rule: 'Housekeeping waits for the git processes of a killed run',
    find: 'if (groups.some((group) => isRunning(-Number(group)))) return false;',
    replace: '',
    suites: ['unit/git/housekeeping'],
  },

  // Machines that die
  {
    rule: 'A process that has lost its lease announces no push',
    find: 'WHERE $7::uuid IS NULL OR EXISTS (${IN_EPOCH})',
    replace: '',
    suites: ['git/push-takeover'],
  },
  {
    rule: 'A process that has lost its lease moves no ref that git has locked',
    find: 'if (isOver) throw new LeaseLostError();',
    replace: '',
    suites: ['git/push-takeover'],
  },
  {
    rule: 'Nothing is taken over from a machine whose lease has not expired',
    find: 'if (!(await this.lease.isOver({ processId, epoch }))) return false;',
    replace: '',
    suites: ['git/push-takeover'],
  },
  {
    rule: 'The sessions of a process that is silent are ended',
    find: 'await this.processes.endSessionsOfFenced(this.identity.id);',
    replace: '',
    suites: ['operation/leases'],
  },

  // Pages for browsers
  {
    rule: 'Pages show a project to those who have the ability',
    find: 'if (!allows(access, ability)) throw forbidden();',
    file: 'page-access.ts',
    replace: '',
    suites: ['web/pages.spec'],
  },
  {
    rule: 'Forms carry the token of their session',
    find: 'if (!areEqual(given, csrfTokenOf(cookie))) throw forbidden();',
    replace: '',
    suites: ['web/sign-in'],
  },
  {
    rule: 'Forms of other sites are refused',
    find: 'if (!isOfThisSite(request, externalUrl)) throw forbidden();',
    replace: '',
    suites: ['web/sign-in'],
  },
  {
    rule: 'Signing in leads to no other site',
    find: "return origin === ANY_ORIGIN && !pathname.startsWith('//')",
    replace: 'return origin === ANY_ORIGIN',
    suites: ['web/sign-in'],
  },
  {
    rule: 'Another password ends the sessions of browsers',
    find: 'if (hash !== undefined) await this.sessions.deleteOfUser(id);',
    replace: '',
    suites: ['web/sign-in'],
  },

  // Backups
  {
    rule: 'Refs of a backup are those of the moment of its rows',
    find: 'for (const { ref, before } of changes.toReversed()) {',
    replace: 'for (const { ref, before } of changes.slice(0, 0)) {',
    suites: ['unit/ops/refs-at-snapshot'],
  },
  {
    rule: 'Deleted projects keep their files while a backup is under way',
    find: 'if (await this.locks.isBackupUnderWay()) return this.postpone(payload);',
    replace: '',
    suites: ['projects/project-purge'],
  },
  {
    rule: 'Deleted projects keep their files while git packs them',
    find: 'if (!(await this.storage.remove({ id: projectId, storage }))) return this.postpone(payload);',
    replace: 'await this.storage.remove({ id: projectId, storage });',
    suites: ['projects/project-purge'],
  },
  {
    rule: 'Deleted projects keep their files while a push to them moves refs',
    find: 'if ((await this.locks.countFree([projectId])) === 0) return this.postpone(payload);',
    replace: '',
    suites: ['projects/project-purge'],
  },

  // Fetches
  {
    rule: 'Fetches over SSH wait for a slot at the end of the negotiation',
    find: 'return { needsSlot: true, expectsAnswer: false };',
    replace: 'return { needsSlot: false, expectsAnswer: false };',
    suites: ['git/clone-crowd', 'git/fetch-gate'],
  },
  {
    rule: 'Fetches over SSH that ask for nothing hold no slot',
    find: 'const expectsAnswer = !isFetch || this.asksForAnswer;',
    replace: 'const expectsAnswer = true;',
    suites: ['git/clone-crowd'],
  },
  {
    rule: 'Fetches whose client does not read hold no slot',
    find: 'if (!this.isBehind) return;',
    replace: 'return;',
    suites: ['git/fetch-gate'],
  },

  // The audit log
  {
    rule: 'Administrators alone read the audit log',
    find: "'audit-event:read': { scope: 'admin' }",
    replace: "'audit-event:read': { scope: 'user' }",
    suites: ['audit/audit-events'],
  },
  {
    rule: 'The audit log names the administrator behind sudo',
    find: 'administrator_id: administrator?.id,',
    replace: '',
    suites: ['audit/audit-actions'],
  },
  {
    rule: 'Sign-ins that fail are in the audit log',
    find: "this.signIns.countFailure({ user: account, address, method: 'session' });",
    replace: '',
    suites: ['audit/audit-actions'],
  },
  {
    rule: 'Repeated sign-ins fill no audit log',
    find: 'if (isRepeated) this.succeeded.count(key, record);',
    replace: 'if (isRepeated) this.audit.record(record).catch(() => undefined);',
    suites: ['audit/audit-actions'],
  },
  {
    rule: 'A hook that a repeated delivery enables is in the audit log',
    find: 'await this.enable([hook.id]);',
    replace: 'await this.hooks.enable([hook.id]);',
    suites: ['audit/audit-actions'],
  },
  {
    rule: 'Custom headers are sent to the server that they are for alone',
    find: 'return new Map(stored.origin === origin ? Object.entries(stored.values) : []);',
    replace: 'return new Map(Object.entries(stored.values));',
    suites: ['v4/hook-deliveries'],
  },
  {
    rule: 'Hooks of version 3 get no kinds that it does not know',
    find: 'return isForVersion4 ? `${column} AND api_version = 4` : column;',
    replace: 'return column;',
    suites: ['v4/release-hooks'],
  },
  {
    rule: 'Deliveries of version 4 are left to workers that know it',
    find: 'needsVersion4 ? deliverHookV4 : deliverHook;',
    replace: 'needsVersion4 ? deliverHook : deliverHook;',
    suites: ['v4/hook-deliveries'],
  },
  {
    rule: 'The log of deliveries has no secret that a receiver repeats',
    find: 'const kept = response && withoutRepeatedSecrets(response, request);',
    replace: 'const kept = response;',
    suites: ['hooks/hook-secrets'],
  },
  {
    rule: 'Of the address of a hook the audit log has the host alone',
    find: 'name: new URL(url).host',
    replace: 'name: url',
    suites: ['audit/audit-actions'],
  },
  // Connections to PostgreSQL
  {
    rule: 'A commit that may have been done is not run again',
    find: 'const isCommitUnsent = transaction.atCommit !== undefined;',
    replace: 'const isCommitUnsent = true;',
    suites: ['platform/unit-of-work'],
  },
  {
    rule: 'A connection to a server that refuses writes is replaced',
    find: "if (SESSION_IS_OVER.has(code ?? '')) process.nextTick(() => this.retire());",
    replace: 'void code;',
    suites: ['platform/failover-client'],
  },
  {
    rule: 'A statement does not wait for a server that is gone',
    find: "if (isSilent) connection.abandon('The server of the database does not answer');",
    replace: 'void isSilent;',
    suites: ['platform/failover-client'],
  },
];
