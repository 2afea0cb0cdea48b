/** The fields of an account that this room needs; the room `users` passes its entities. */
export interface Account {
  id: number;
  username: string;
  state: string;
  admin: boolean;
  external: boolean;
}
