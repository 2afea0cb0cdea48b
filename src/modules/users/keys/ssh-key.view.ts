/** A public key (specification 2.16). */
export class SshKeyView {
  id!: number;
  title!: string;
  key!: string;
  created_at!: Date;
}
