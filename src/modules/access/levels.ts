/** The roles of members. `VISITOR` is the level of users who see a project by its visibility alone. */
export const Level = {
  VISITOR: 0,
  GUEST: 10,
  REPORTER: 20,
  DEVELOPER: 30,
  MASTER: 40,
  OWNER: 50,
} as const;

export type Level = (typeof Level)[keyof typeof Level];

/** Who sees a project or group without being a member. */
export const Visibility = { PRIVATE: 0, INTERNAL: 10, PUBLIC: 20 } as const;

export type Visibility = (typeof Visibility)[keyof typeof Visibility];
