/** Adds a number of hits, of a number of cases, to a figure of one of the systems. */
export type Count = (figure: string, system: string, hits: number, of: number) => void
