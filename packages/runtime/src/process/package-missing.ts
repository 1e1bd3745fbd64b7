/** A part of Tollbook that is not installed. */
export class PackageMissing extends Error {
  /** Such as `@tollbook/report`. */
  readonly packageName: string
  constructor(packageName: string, cause?: unknown) {
    super(`the package ${packageName} is not installed: npm install ${packageName}`, { cause })
    this.name = 'PackageMissing'
    this.packageName = packageName
  }
}

/** The parts that may be absent. */
const OPTIONAL =
  /^Cannot find package '(@tollbook\/(?:devchain|facilitator|inference|pay|report|social|utility|verify))'/

/**
 * What a failed import throws instead, if it failed because an optional part is absent.
 * @throws PackageMissing, or else the error itself
 */
export function throwAbsence(error: unknown): never {
  // https://nodejs.org/api/errors.html#err_module_not_found; the package is only in the message.
  const isAbsent = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  const found = isAbsent && OPTIONAL.exec(error.message)
  throw found && found[1] !== undefined ? new PackageMissing(found[1], error) : error
}
