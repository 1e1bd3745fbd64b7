/** What can run separately: the indexer, the report service, or a service that is sold, by its name. */
export type Part = string
