/** Tables of report; columns are created in ../migrations. */
export type ReportTables = Record<never, never>
