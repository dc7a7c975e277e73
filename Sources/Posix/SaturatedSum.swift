extension FixedWidthInteger {
    /// The sum of two numbers that are not negative; the largest number where it is too large. For sizes that
    /// come from outside.
    public func addingSaturated(_ other: Self) -> Self {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
