/** Writes a line: what happened, and the fields that say to what. An error is the field `err`. */
type WriteLine = (fields: object, message: string) => void

/** Where a package writes its log lines: a pino logger, or `console`. */
export interface Logger {
  readonly debug: WriteLine
  readonly info: WriteLine
  /** Something that the operator should look at, and that ends by itself. */
  readonly warn: WriteLine
  readonly error: WriteLine
}
