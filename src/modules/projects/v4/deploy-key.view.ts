import { type SshKey, sha256FingerprintOf } from '../../users/index.js';
import { presentV4SshKey, V4SshKeyView } from '../../users/v4/index.js';
import type { ProjectDeployKey, ReadableProject } from '../deploy-keys/deploy-keys.repository.js';
import { V4ProjectIdentityView } from './project.view.js';

/** What the deploy keys of a project and of the instance have in common. */
export class V4KeyView extends V4SshKeyView {
  /** MD5, in hexadecimal with colons. */
  fingerprint!: string;
  /** As OpenSSH prints it. */
  fingerprint_sha256!: string;
}

/** A deploy key of a project. */
export class V4ProjectDeployKeyView extends V4KeyView {
  /** Whether it may push to the project. */
  can_push!: boolean;
}

/** A deploy key of the instance. */
export class V4DeployKeyView extends V4KeyView {
  /** The first 100 projects that it may push to. */
  projects_with_write_access!: V4ProjectIdentityView[];
  /** The first 100 projects that it only reads. */
  projects_with_readonly_access!: V4ProjectIdentityView[];
}

export const presentV4ProjectDeployKey = ({
  key,
  pusherId,
}: ProjectDeployKey): V4ProjectDeployKeyView => ({
  ...presentKey(key),
  can_push: pusherId !== null,
});

export function presentV4DeployKey(
  key: SshKey,
  projects: readonly ReadableProject[],
): V4DeployKeyView {
  const withAccess = (canPush: boolean): V4ProjectIdentityView[] =>
    projects.filter((project) => project.canPush === canPush).map(presentProject);
  return {
    ...presentKey(key),
    projects_with_write_access: withAccess(true),
    projects_with_readonly_access: withAccess(false),
  };
}

const presentKey = (key: SshKey): V4KeyView => ({
  ...presentV4SshKey(key),
  fingerprint: key.fingerprint,
  fingerprint_sha256: sha256FingerprintOf(key.key),
});

function presentProject(project: ReadableProject): V4ProjectIdentityView {
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${project.namespaceName} / ${project.name}`,
    path: project.path,
    path_with_namespace: `${project.namespacePath}/${project.path}`,
    created_at: project.createdAt,
  };
}
