/** Kubernetes agents, which this service does not have. */
export class AgentServerView {
  enabled!: boolean;

  externalUrl!: string | null;

  externalK8sProxyUrl!: string | null;

  version!: string | null;
}

/** The version of the service. */
export class MetadataView {
  /** Version of GitLab whose interface this is. */
  version!: string;

  /** Version of the service itself. */
  revision!: string;

  kas!: AgentServerView;

  /** Whether it is GitLab's Enterprise Edition: never. */
  enterprise!: boolean;
}
