import { canSandbox } from '../../workers/sandbox.ts'
import type { Finding } from './finding.ts'

/** Whether pictures of strangers are decoded in namespaces of their own. */
export async function checkSandbox(): Promise<readonly Finding[]> {
  const [verdict, text] = canSandbox()
    ? (['ok', 'pictures are decoded by processes without network and files'] as const)
    : ([
        'note',
        'pictures are decoded by processes that can read files and dial; install bubblewrap, and allow namespaces',
      ] as const)
  return [{ verdict, name: 'sandbox', text }]
}
