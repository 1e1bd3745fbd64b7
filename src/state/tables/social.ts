/** Tables of social data; created by ../migrations/0003-social.ts. Times are epoch milliseconds. */
export type SocialTables = {
  readonly social_user: SocialUserTable
}

export type SocialUserTable = {
  readonly id: string
  /** The username in lower case, since usernames differ by more than case. */
  readonly username_key: string
  /** The user object as JSON, in the shape in which it is answered. */
  readonly body: string
  readonly fetched_at: number
}
