/** Tables of social; columns are created in ../migrations. */
export type SocialTables = Record<never, never>
