/** Tables of sessions and images; created by ../migrations/0019-social-sessions.ts. Times are epoch milliseconds. */
export type SocialSessionTables = {
  readonly social_session: SocialSessionTable
  readonly social_login: SocialLoginTable
  readonly social_image: SocialImageTable
  /** One row, which whoever adds an image writes first, so that nobody else adds one meanwhile. */
  readonly social_image_guard: { readonly id: number; readonly changes: number }
}

/** A session; from `expires_at` on it is over, whether or not it is deleted yet. */
export type SocialSessionTable = {
  /** SHA-256 of the token in hex; the token itself is kept nowhere. */
  readonly token_hash: string
  readonly user_id: string
  /** The user's tokens at the upstream, encrypted; null for a user of the store. */
  readonly sealed_grant: string | null
  /** When the upstream's access token ends. */
  readonly grant_expires_at: number | null
  /** Until then one process alone renews the grant; null when none does. */
  readonly renewing_until: number | null
  readonly expires_at: number
}

/** A sign-in that was begun at the upstream. */
export type SocialLoginTable = {
  /** SHA-256 of the state in hex. */
  readonly state_hash: string
  /** The PKCE challenge (RFC 7636 section 4.2), which the browser's verifier must give. */
  readonly challenge: string
  readonly expires_at: number
}

export type SocialImageTable = {
  readonly media_id: string
  readonly user_id: string
  /** SHA-256 of the content in hex: the same image of the same user is one. */
  readonly content_hash: string
  readonly content_type: string
  /** Of `content`. */
  readonly bytes: number
  readonly expires_at: number
  readonly content: Uint8Array
}
