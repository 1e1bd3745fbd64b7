/** A part of Tollbook that is not installed. */
export class PackageMissing extends Error {
  constructor(name: string, cause: unknown) {
    super(`the package ${name} is not installed: npm install ${name}`, { cause })
    this.name = 'PackageMissing'
  }
}

/** Whether an import failed because a package is absent, rather than one that it needs itself. */
export function isAbsent(error: unknown, name: string): boolean {
  // https://nodejs.org/api/errors.html#err_module_not_found; the package is only in the message.
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.startsWith(`Cannot find package '${name}'`)
  )
}
