// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { IToken } from "./SignatureTransfer.sol";

/// @title Collector of deposits into payment channels by an ERC-3009 authorization to itself.
contract DevDepositCollector {
  /// @dev The escrow on Base. Others could redirect an authorization.
  address private constant ESCROW = 0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003;

  /// @param data ABI encoding of validAfter, validBefore, salt and signature. The nonce of the authorization
  ///   is the hash of channel and salt, so that it pays for this channel only.
  function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external {
    require(msg.sender == ESCROW, "caller must be the escrow");
    (uint256 validAfter, uint256 validBefore, uint256 salt, bytes memory signature) =
      abi.decode(data, (uint256, uint256, uint256, bytes));
    bytes32 nonce = keccak256(abi.encode(channelId, salt));
    IToken(token).receiveWithAuthorization(
      payer, address(this), amount, validAfter, validBefore, nonce, signature
    );
    IToken(token).transfer(ESCROW, amount);
  }
}
