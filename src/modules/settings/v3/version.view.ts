/** The version of the service. */
export class ServiceVersionView {
  /** Version of the interface that the service is compatible with. */
  version!: string;

  /** Version of the service itself. */
  revision!: string;
}
