/** All issues of the settings at once; the start prints them and stops. */
export class ConfigError extends Error {
  readonly issues: readonly string[]
  constructor(issues: readonly string[]) {
    super(`wrong settings:\n${issues.map((issue) => `  ${issue}`).join('\n')}`)
    this.name = 'ConfigError'
    this.issues = issues
  }
}
