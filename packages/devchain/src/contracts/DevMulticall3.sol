// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// @title The part of Multicall3 (0xcA11bde05977b3631167028862bE2a173976CA11) that x402 tools call.
/// @dev No constructor and no immutables, so the runtime code works at whatever address it is put.
contract DevMulticall3 {
  struct Call {
    address target;
    bytes callData;
  }

  struct Call3 {
    address target;
    bool allowFailure;
    bytes callData;
  }

  struct Result {
    bool success;
    bytes returnData;
  }

  /// @notice Calls in order; a failing call reverts everything unless it says `allowFailure`.
  function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
    results = new Result[](calls.length);
    for (uint256 i = 0; i < calls.length; i++) {
      results[i] = callOne(calls[i].target, calls[i].callData);
      require(results[i].success || calls[i].allowFailure, "Multicall3: call failed");
    }
  }

  function tryAggregate(bool requireSuccess, Call[] calldata calls) public payable returns (Result[] memory results) {
    results = new Result[](calls.length);
    for (uint256 i = 0; i < calls.length; i++) {
      results[i] = callOne(calls[i].target, calls[i].callData);
      require(results[i].success || !requireSuccess, "Multicall3: call failed");
    }
  }

  function tryBlockAndAggregate(bool requireSuccess, Call[] calldata calls)
    external payable returns (uint256 blockNumber, bytes32 blockHash, Result[] memory results)
  {
    blockNumber = block.number;
    // The hash of the running block is not known to it: Multicall3 answers zero too.
    blockHash = blockhash(block.number);
    results = tryAggregate(requireSuccess, calls);
  }

  function getEthBalance(address account) external view returns (uint256) {
    return account.balance;
  }

  function getBlockNumber() external view returns (uint256) {
    return block.number;
  }

  function getCurrentBlockTimestamp() external view returns (uint256) {
    return block.timestamp;
  }

  function getChainId() external view returns (uint256) {
    return block.chainid;
  }

  function callOne(address target, bytes calldata callData) private returns (Result memory) {
    (bool success, bytes memory returnData) = target.call(callData);
    return Result(success, returnData);
  }
}
