/** A part of Tollbook that is not installed. */
export class PackageMissing extends Error {
  constructor(name: string, cause: unknown) {
    super(`the package ${name} is not installed: npm install ${name}`, { cause })
    this.name = 'PackageMissing'
  }
}

/**
 * What a failed import throws instead, if it failed because an app is absent; an app that lacks a package of its own is
 * broken. @throws PackageMissing, or else the error itself
 */
export function throwAbsence(error: unknown): never {
  // https://nodejs.org/api/errors.html#err_module_not_found; the package is only in the message.
  const isAbsent = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  const found =
    isAbsent && /^Cannot find package '(@tollbook\/(?:report|social|utility|inference))'/.exec(error.message)
  throw found && found[1] !== undefined ? new PackageMissing(found[1], error) : error
}
