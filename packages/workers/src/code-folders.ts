import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

const SCOPE = '@tollbook'

/**
 * The `node_modules` folders in which Node looks for what a module of a folder imports, the nearest first.
 * https://nodejs.org/api/modules.html#loading-from-node_modules-folders
 */
export function findPackageFolders(folder: string): readonly string[] {
  const above = dirname(folder)
  const own = join(folder, 'node_modules')
  return [...(existsSync(own) ? [own] : []), ...(above === folder ? [] : findPackageFolders(above))]
}

/**
 * The folders that hold the product's code and its packages, for a module of a folder. Installed, all of it is in
 * `node_modules`. In a checkout the product's packages are links from there to other folders.
 */
export function findCodeFolders(folder: string): readonly string[] {
  const packages = findPackageFolders(folder)
  const own = packages
    .map((path) => join(path, SCOPE))
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path).map((name) => realpathSync(join(path, name))))
  return [...packages, ...own.filter((path) => !packages.some((each) => path.startsWith(each + sep)))]
}
