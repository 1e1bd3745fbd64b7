/** Tables of sessions and images. Times are epoch milliseconds. */
export type SocialSessionTables = {
  readonly social_session: SocialSessionTable
  /** A sign-in in progress at the upstream. */
  readonly social_login: {
    /** SHA-256 of the state in hex. */
    readonly state_hash: string
    /** The PKCE challenge (RFC 7636 section 4.2), which the browser's verifier must match. */
    readonly challenge: string
    readonly expires_at: number
  }
  readonly social_image: {
    readonly media_id: string
    readonly user_id: string
    /** SHA-256 of the content in hex: the same image of the same user is stored once. */
    readonly content_hash: string
    readonly content_type: string
    /** Of `content`. */
    readonly bytes: number
    readonly expires_at: number
    readonly content: Uint8Array
  }
  /** One row, written first by anyone who adds an image, so that additions are serialized. */
  readonly social_image_guard: { readonly id: number; readonly changes: number }
}

/** A session; invalid from `expires_at` on, whether or not it has been deleted. */
export type SocialSessionTable = {
  /** SHA-256 of the token in hex; the token itself is not stored. */
  readonly token_hash: string
  readonly user_id: string
  /** The user's tokens at the upstream, encrypted; null for a user of the store. */
  readonly sealed_grant: string | null
  /** When the upstream's access token ends. */
  readonly grant_expires_at: number | null
  /** Until then only one process renews the grant; null if none does. */
  readonly renewing_until: number | null
  readonly expires_at: number
}
