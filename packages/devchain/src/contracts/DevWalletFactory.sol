// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { DevWallet } from "./DevWallet.sol";

/// @title Deploys wallets at addresses that are known before, as ERC-6492 needs it.
contract DevWalletFactory {
  /// @dev Gives the wallet back when it is already there, so that a wrapped signature stays good.
  function createWallet(address owner, bytes32 salt) external returns (address wallet) {
    wallet = walletOf(owner, salt);
    if (wallet.code.length == 0) new DevWallet{salt: salt}(owner);
  }

  function walletOf(address owner, bytes32 salt) public view returns (address) {
    bytes32 code = keccak256(abi.encodePacked(type(DevWallet).creationCode, abi.encode(owner)));
    return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
  }
}
