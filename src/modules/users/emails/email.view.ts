/** A secondary e-mail address (specification 2.16). */
export class EmailView {
  id!: number;
  email!: string;
}
