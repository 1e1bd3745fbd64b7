/** What is wrong with the module of a service. */
export class ServiceError extends Error {
  readonly issues: readonly string[]
  /** @param where the file or package */
  constructor(where: string, issues: readonly string[], options?: ErrorOptions) {
    super(`wrong service ${where}:\n${issues.map((issue) => `  ${issue}`).join('\n')}`, options)
    this.name = 'ServiceError'
    this.issues = issues
  }
}
