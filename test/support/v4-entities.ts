import { readFileSync } from 'node:fs';

type Json = Readonly<Record<string, unknown>>;

/** The entities of version 4 by the views that show them. */
export const ENTITY_OF_VIEW: Readonly<Record<string, string>> = {
  MetadataView: 'metadata',
  V4BranchView: 'branch',
  V4ChangedMergeRequestView: 'merge_request',
  V4CommitCommentView: 'commit_note',
  V4CommitDetailView: 'commit/detail',
  V4CommitStatsView: 'commit_stats',
  V4CommitView: 'commit/basic',
  V4CountedGroupLabelView: 'labels/label_with_counts',
  V4CountedLabelView: 'labels/project_label_with_counts',
  V4CurrentUserView: 'user/public',
  V4DeployKeyView: 'deploy_key',
  V4GroupLabelView: 'group_label',
  V4IssueLinkView: 'issue_link',
  V4IssueView: 'issue',
  V4JobView: 'job',
  V4LabelView: 'labels/project_label',
  V4MemberView: 'member',
  V4MergeRequestView: 'merge_requests',
  V4MilestoneView: 'milestone',
  V4NamespaceView: 'namespace',
  V4NoteView: 'note',
  V4PipelineDetailView: 'pipeline/detail',
  V4PipelineView: 'pipeline/basic',
  V4ProjectHookView: 'project_hook',
  V4ProjectNamespaceView: 'namespace',
  V4ProjectView: 'project',
  V4ReferencesView: 'references',
  V4RelatedIssueView: 'related_issue',
  V4ReleaseForGuestView: 'release_for_guest',
  V4ReleaseLinkView: 'link',
  V4ReleaseView: 'release',
  V4SimpleProjectView: 'projects (simple)',
  V4SingleIssueView: 'issue',
  V4SingleMergeRequestView: 'merge_request',
  V4SystemHookView: 'system_hook',
  V4TagReleaseView: 'tag_release',
  V4TagView: 'tag',
  V4TimeStatsView: 'time_stats',
  V4UserBasicView: 'user/basic',
  V4UserForAdminView: 'user/admin',
};

/** The entities that no view shows, and why. */
export const NOT_SHOWN: Readonly<Record<string, string>> = {
  'user/safe': 'of features that do not exist',
  'user/login': 'of `POST /session`, which version 4 does not have',
  'commit/with_stats': 'lists of commits have no statistics',
  blob: 'of searches, which do not exist',
  label_basic: 'lists take no `with_labels_details`',
  'label/basic': 'lists take no `with_labels_details`',
  merge_request_author: 'authors are shown as other users are',
  membership: 'accounts have no list of memberships',
  resource_access_token: 'not served',
  protected_ref_access: 'not served in version 4',
  protected_branch: 'not served in version 4',
};

/** Fields that the service shows otherwise than the schemas of the entities, and why. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'link.url': 'may be an address of ftp',
  'tag.commit': 'null for a tag that marks no commit, such as a blob',
};

const SOURCE = new URL('v4-entities.txt', import.meta.url);

const NAMES = { int: 'integer', num: 'number', str: 'string', bool: 'boolean', obj: 'object' };
const PATTERNS = {
  time: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
  date: '^\\d{4}-\\d\\d-\\d\\d$',
  uri: '^https?://',
  color: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$',
};

/** One field of an entity, as a line of `v4-entities.txt` describes it. */
interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json;
}

/** The JSON schemas of all entities, by their names, without the exceptions. */
export function readEntities(): Readonly<Record<string, Json>> {
  const lines = readFileSync(SOURCE, 'utf8').split('\n');
  const described = lines.filter((line) => line.includes(' = ') && !line.startsWith('#'));
  return Object.fromEntries(described.map(readEntity));
}

function readEntity(line: string): [name: string, schema: Json] {
  const [name = '', text = ''] = line.split(' = ');
  const words = text.split(' ');
  const fields = words
    .filter((word) => !word.startsWith('@'))
    .map(readField)
    .filter((field) => !(`${name}.${field.name}` in EXCEPTIONS));
  return [
    name,
    {
      type: 'object',
      allOf: words.filter((word) => word.startsWith('@')).map((word) => reference(word.slice(1))),
      properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
      required: fields.filter(({ required }) => required).map((field) => field.name),
    },
  ];
}

function readField(word: string): Field {
  const { optional, name, type, nullable } =
    /^(?<optional>-?)(?<name>[^:]+):(?<type>[^?]+)(?<nullable>\??)$/.exec(word)?.groups as Record<
      string,
      string
    >;
  const schema = schemaOf(type as string);
  return {
    name: name as string,
    required: optional === '',
    schema: nullable === '' ? schema : { anyOf: [schema, { type: 'null' }] },
  };
}

function schemaOf(type: string): Json {
  const inner = type.replace(/^(?:list<|[{[])|[>}\]]$/g, '');
  if (type.startsWith('{')) return reference(inner);
  if (type.startsWith('[')) return { type: 'array', items: reference(inner) };
  if (type.startsWith('list<')) return { type: 'array', items: schemaOf(inner) };
  if (type in PATTERNS) {
    return { type: 'string', pattern: PATTERNS[type as keyof typeof PATTERNS] };
  }
  if (type in NAMES) return { type: NAMES[type as keyof typeof NAMES] };
  if (type === 'any') return {};
  throw new Error(`v4-entities.txt has the unknown type ${type}`);
}

const reference = (entity: string): Json => ({ $ref: `#/${pointer(entity)}` });

/** The name of an entity as a part of a JSON pointer in a fragment. */
export const pointer = (entity: string): string =>
  encodeURIComponent(entity.replaceAll('~', '~0').replaceAll('/', '~1'));

/** The entities that an entity contains, with itself. */
export function partsOf(entity: string, entities: Readonly<Record<string, Json>>): Set<string> {
  const parts = new Set([entity]);
  for (const part of parts) {
    for (const [, found = ''] of JSON.stringify(entities[part]).matchAll(/"#\/([^"]+)"/g)) {
      parts.add(decodeURIComponent(found).replaceAll('~1', '/').replaceAll('~0', '~'));
    }
  }
  return parts;
}
