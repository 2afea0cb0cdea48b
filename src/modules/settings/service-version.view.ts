/** What clients adapt themselves to. */
export class ServiceVersionView {
  /** Of the interface that the service is compatible with. */
  version!: string;

  /** The service's own version. */
  revision!: string;
}
