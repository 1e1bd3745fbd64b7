import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { findPackageFolders } from './code-folders.ts'

/**
 * Keeps compiled modules next to the installed packages: processes start in half the time once they were compiled. Never
 * in a folder that others may write to, such as that of temporary files: its content is executed.
 */
export function useCompileCache(): void {
  const [packages] = findPackageFolders(import.meta.dirname)
  if (packages) enableCompileCache(join(packages, '.cache/node-compile'))
}
